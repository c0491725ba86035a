# src/config -- sources, tests and programs of this room.
