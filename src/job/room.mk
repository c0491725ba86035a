# src/job -- sources, tests and programs of this room.
