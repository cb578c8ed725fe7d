{
    "targets": [
        {
            "target_name": "sonde",
            "sources": ["src/addon.c"],
            "cflags": ["-std=gnu17", "-O2", "-Wall", "-Wextra", "-fvisibility=hidden"],
        }
    ]
}
