# src/symbolicate -- sources, tests and programs of this room.
