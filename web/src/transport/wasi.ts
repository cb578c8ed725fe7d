// What the C library of the engine imports: random numbers, and a world without files and variables.

const SUCCESS = 0;
const BAD_DESCRIPTOR = 8;
const MOST_RANDOM = 65536; // that a browser gives at once

export function wasi(memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
  return {
    random_get(at: number, length: number): number {
      for (let done = 0; done < length; done += MOST_RANDOM) {
        const count = Math.min(length - done, MOST_RANDOM);
        crypto.getRandomValues(new Uint8Array(memory().buffer, at + done, count));
      }
      return SUCCESS;
    },
    environ_sizes_get(count: number, bytes: number): number {
      const view = new DataView(memory().buffer);
      view.setUint32(count, 0, true);
      view.setUint32(bytes, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    fd_close: () => BAD_DESCRIPTOR,
    fd_seek: () => BAD_DESCRIPTOR,
    fd_write: () => BAD_DESCRIPTOR,
    proc_exit(status: number): never {
      throw new Error(`the engine has ended with status ${status}`);
    },
  };
}
