import type { OpenConnection } from './protocol.ts'
import { openSecrets } from './secrets.ts'
import { type ConnectionRow, settingsOf } from './service.ts'

/** The connection as its protocol sees it. @throws AppError `secret_unreadable` */
export function openConnection(row: ConnectionRow, encryptionSecrets: readonly string[]): OpenConnection {
  const { connection_id, version, name } = row
  return { connection_id, version, name, settings: settingsOf(row), secrets: openSecrets(row, encryptionSecrets) }
}

export type { OpenConnection }
