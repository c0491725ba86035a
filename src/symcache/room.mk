# src/symcache -- sources, tests and programs of this room.
