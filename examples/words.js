// Counts the words of a made-up text. words.cpuprofile is a recording of it:
//   node --cpu-prof --cpu-prof-interval 1000 --cpu-prof-name words.cpuprofile words.js
// with the folder names before the file names taken out.

const syllables = ["ka", "lo", "mi", "ne", "ru", "so", "ta", "vi"];

function makeWord(seed) {
  let word = "";
  for (let rest = seed; rest > 0; rest = Math.floor(rest / syllables.length)) {
    word += syllables[rest % syllables.length];
  }
  return word;
}

function makeText(length) {
  const words = [];
  let seed = 1;
  for (let i = 0; i < length; i++) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    words.push(makeWord(Math.floor(seed / 65536) % 4096));
  }
  return words.join(" ");
}

function countWords(text) {
  const counts = new Map();
  for (const word of text.split(" ")) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function byCount(a, b) {
  return b[1] - a[1] || a[0].localeCompare(b[0]);
}

function mostFrequent(counts, howMany) {
  return [...counts].sort(byCount).slice(0, howMany);
}

function main() {
  const counts = countWords(makeText(400000));
  for (const [word, count] of mostFrequent(counts, 3)) {
    console.log(`${count} ${word}`);
  }
}

main();
