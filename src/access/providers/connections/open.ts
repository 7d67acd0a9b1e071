import { type ConnectionRow, settingsOf } from './connections.ts'
import type { OpenConnection } from './protocol.ts'
import { openSecrets } from './secrets.ts'

/** The connection as its protocol sees it. @throws AppError `secret_unreadable` */
export function openConnection(row: ConnectionRow, encryptionSecrets: readonly string[]): OpenConnection {
  const { connection_id, version, name } = row
  const secrets = openSecrets(row, encryptionSecrets)
  return { connection_id, isActive: row.active === 1, version, name, settings: settingsOf(row), secrets }
}

export type { OpenConnection }
