# src/cli -- sources, tests and programs of this room.
