import type { Transaction } from '../db.ts'

/** One step of the schema, forward only. A released one is never edited. */
export type Migration = {
  name: string
  /**
   * The newest migration that code must know to work with the schema after this one. A step that only adds something names
   * an earlier one, so that nodes of the previous release keep working during the upgrade; a step that removes something
   * names the step from which on nothing uses it (src/store/db/README.md).
   */
  needs: string
  sqlite: readonly string[]
  postgres: readonly string[]
  /** What SQL alone cannot do, after the statements and in the same transaction. */
  fill?(db: Transaction): Promise<void>
}
