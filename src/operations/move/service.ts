/** Copies of the store: backup, restore, and the move to another engine. */
export { backUp } from './backup.ts'
export { type MovedTable, move } from './move.ts'
export { openPostgresSource, openPostgresTarget, type PostgresPlace } from './postgres-store.ts'
export { restore } from './restore.ts'
export { type Ended, takeOver } from './restored.ts'
export { openSqliteSource, openSqliteTarget } from './sqlite-store.ts'
export type { Store, Target } from './store.ts'
export type { CopyOptions } from './store-file.ts'
