import type { OpenConnection } from './protocol.ts'
import { openSecrets } from './secrets.ts'
import { type ConnectionRow, settingsOf } from './service.ts'

/** The connection as its protocol sees it. @throws Error if a secret cannot be opened */
export function openConnection(row: ConnectionRow, encryptionSecret: string | undefined): OpenConnection {
  const { connection_id, version, name } = row
  return { connection_id, version, name, settings: settingsOf(row), secrets: openSecrets(row, encryptionSecret) }
}

export type { OpenConnection }
