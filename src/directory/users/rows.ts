/** What a user's row becomes by what is said of the user. No rules about who may say it, and no SQL. */

import { fold } from '../../lib/fold.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Context } from '../../store/context.ts'
import type { AuditEntry } from '../../store/journal-entry.ts'
import { refuseMixedScripts, type UserInput } from './input.ts'
import { userChanges, userTarget } from './journal.ts'
import { completeRow, toUser, type UserRow } from './store.ts'

/** What a user brings along who was a user somewhere else before. */
export type Brought = {
  user_id?: string
  created_at?: string
  updated_at?: string
  last_login_at?: string
  must_change_password?: number
}

type Moment = Pick<Context, 'now'> & { newId(): string }

/** @throws AppError `validation_failed` for a username that mixes scripts */
export function newRow(ctx: Moment, input: UserInput, brought: Brought = {}): UserRow {
  const { username = '', username_key = '', role = 'user', active = true, ...members } = input
  refuseMixedScripts(username_key)
  const now = timestamp(ctx.now)
  const row = completeRow({
    ...members,
    user_id: brought.user_id ?? ctx.newId(),
    version: 1,
    document: '',
    username,
    username_key,
    role,
    active: Number(active),
    last_login_at: brought.last_login_at ?? null,
    created_at: brought.created_at ?? now,
    updated_at: brought.updated_at ?? now,
    search_text: '',
    // A user without a password could not change it.
    must_change_password: input.password_hash === undefined ? 0 : (brought.must_change_password ?? 0),
  })
  return withDocument(row)
}

/**
 * The next version of the row, or the row itself when nothing is different.
 *
 * @throws AppError `validation_failed` for another username that mixes scripts; one that a user has already stays good
 */
export function changedRow(ctx: Pick<Context, 'now'>, found: UserRow, input: UserInput): UserRow {
  const { active = Boolean(found.active), ...members } = input
  const next = { ...found, ...members, active: Number(active) }
  if (next.username_key !== found.username_key) refuseMixedScripts(next.username_key)
  // A password that is not temporary also ends the duty to change it.
  if (input.password_hash !== undefined) next.must_change_password = input.must_change_password ?? 0
  if (endsCredentials(found, next)) next.credentials_version++
  if (isSame(found, next)) return found
  return withDocument({ ...next, version: found.version + 1, updated_at: timestamp(ctx.now) })
}

/** Whether the change ends the user's sessions: disabled, another role or another password. */
function endsCredentials(found: UserRow, next: UserRow): boolean {
  const isDisabled = found.active === 1 && next.active === 0
  return isDisabled || next.role !== found.role || next.password_hash !== found.password_hash
}

function isSame(a: UserRow, b: UserRow): boolean {
  return (Object.keys(a) as (keyof UserRow)[]).every((column) => a[column] === b[column])
}

/** The row of a deleted user. Columns that did not exist at the deletion get the value of a user without them. */
export function keptRow({ user_row, document }: { user_row: string; document: string }): UserRow {
  return completeRow({ ...(JSON.parse(user_row) as Omit<UserRow, 'document'>), document })
}

export function withDocument(row: Omit<UserRow, 'document'>): UserRow {
  return { ...row, search_text: searchText(row), document: JSON.stringify(toUser(row)) }
}

/** Two line feeds before each field make a search for its beginning one for three characters as well. */
function searchText(row: Pick<UserRow, 'username' | 'email' | 'first_name' | 'last_name'>): string {
  const fields = [row.username, row.email ?? '', `${row.first_name} ${row.last_name}`.trim(), row.last_name]
  return fields.map((field) => (field === '' ? '' : `\n\n${fold(field)}`)).join('')
}

/** What the audit says of a user who has come. */
export function creation(row: UserRow): AuditEntry {
  return { action: 'user.created', target: userTarget(row), changes: userChanges(undefined, row) }
}

/** What the audit says of a change. */
export function changeOf(found: UserRow, next: UserRow): AuditEntry {
  const changes = userChanges(found, next)
  const { password, must_change_password: _, ...others } = changes
  const isPassword = password !== undefined && Object.keys(others).length === 0
  return { action: isPassword ? 'user.password_set' : 'user.updated', target: userTarget(next), changes }
}
