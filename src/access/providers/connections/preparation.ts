/** What a connection asks its provider while an operator configures it. */
import type { ConnectionRow } from './connections.ts'
import type { Claims } from './kinds/kind.ts'
import type { Before } from './protocol.ts'

/** Asks a directory about a username, or whether it can be searched; undefined: this kind of connection cannot be asked. */
export type Probe = (
  connection: ConnectionRow,
  username: string | undefined,
) => Promise<{ claims?: Claims; detail: string; reason?: string } | undefined>

/** Asks the provider whether it is there, and is what the settings say. Returns why not; undefined also if this kind of connection cannot ask. */
export type Reach = (connection: ConnectionRow) => Promise<string | undefined>

/** Completes what an operator sends: reads metadata, asks a server what it can do. */
export type Prepare = (
  kind: string,
  input: Readonly<Record<string, unknown>>,
  before: Before | undefined,
) => Promise<Readonly<Record<string, unknown>>>
