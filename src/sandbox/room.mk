# src/sandbox -- sources, tests and programs of this room.
