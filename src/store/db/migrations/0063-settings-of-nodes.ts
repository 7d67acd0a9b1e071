import type { Migration } from './migration.ts'

/** A digest of each setting that all nodes must share; null for a node of an earlier release. */
export const settingsOfNodes: Migration = {
  name: '0063-settings-of-nodes',
  needs: '0012-nodes',
  sqlite: ['ALTER TABLE nodes ADD COLUMN settings TEXT'],
  postgres: ['ALTER TABLE nodes ADD COLUMN settings text'],
}
