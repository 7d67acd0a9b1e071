import type { Config } from './config.ts'
import type { Db, Transaction } from './db/db.ts'

/** Who acts. `permissions` is what the credential holds at this moment; `*` holds everything. */
export type Actor = {
  kind: 'api_key' | 'system'
  id: string
  name: string
  permissions: readonly string[]
}

/** Rollbook itself, in what it does by itself. */
export const system: Actor = { kind: 'system', id: 'system', name: 'Rollbook', permissions: ['*'] }

/** The part of the configuration that the rules depend on. */
export type Rules = {
  roles: Readonly<Record<string, readonly string[]>>
  keyRotationOverlapSeconds: number
}

export function rulesOf({ roles, keyRotationOverlapSeconds }: Config): Rules {
  return { roles, keyRotationOverlapSeconds }
}

/** What every service function takes first: who acts, when it is, on which handle. */
export type Context = {
  actor: Actor
  /** Epoch milliseconds at which the request was received. */
  now: number
  requestId: string
  rules: Rules
  db: Db
}

/** The context of a change: it runs inside one transaction, together with everything that belongs to the change. */
export type ChangeContext = Omit<Context, 'db'> & {
  db: Transaction
  /** A new UUIDv7, greater than every earlier one of this node. */
  newId(): string
  /** Tells, after the commit, that something cached may no longer hold: revocations to every node, the rest to this one. */
  announce(event: Announcement): void
}

export type Announcement = { kind: 'keys_changed' } | { kind: 'users_changed' }

export function timestamp(ms: number): string {
  return new Date(ms).toISOString()
}

export function holds(permissions: readonly string[], permission: string): boolean {
  return permissions.includes(permission) || permissions.includes('*')
}
