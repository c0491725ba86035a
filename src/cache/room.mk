# src/cache -- sources, tests and programs of this room.
