/** The mark of objects that a configuration file manages. Their rooms refuse changes by others; operations/configuration sets it. */
import { AppError, memberFault } from '../core/errors.ts'
import type { ChangeContext } from './context.ts'
import type { Transaction } from './db/db.ts'
import { texts } from './db/dialect.ts'
import { fixedSql, sql } from './db/sql.ts'

export const byFile = 'file'

export const managedByFileMember = {
  type: 'string',
  enum: [byFile],
  description:
    '`file`: a configuration file manages it, and others change it with `override=true` only. Missing: it is not managed.',
} as const

type Managed = { managed_by: string | null }

/**
 * Refuses a change that is not part of an apply. One that changes nothing is not refused.
 *
 * @param changed the names of the members that change; undefined for a deletion
 * @throws AppError `managed_elsewhere`
 */
export function refuseManagedByFile(
  ctx: ChangeContext,
  what: string,
  { managed_by }: Managed,
  { override = false, changed }: { override?: boolean | undefined; changed?: readonly string[] },
): void {
  if (managed_by !== byFile || ctx.byFile || override || changed?.length === 0) return
  const detail = `A configuration file manages this ${what}. Change it in the file, or use override=true (--override on the command line), which the next apply undoes.`
  const fault = 'A configuration file manages this member; override=true changes it anyway.'
  const errors = changed?.map((member) => memberFault(member, 'managed_elsewhere', fault))
  throw new AppError('managed_elsewhere', detail, errors && { errors })
}

/** What the audit record of a change that was not refused says beside it. */
export function overrideDetails(
  ctx: ChangeContext,
  { managed_by }: Managed,
  override: boolean | undefined,
): { details?: { override: true } } {
  return managed_by === byFile && override && !ctx.byFile ? { details: { override: true } } : {}
}

const versioned = fixedSql(', version = version + 1')
const tables = {
  attributes: { table: fixedSql('attribute_definitions'), key: fixedSql('name'), also: versioned },
  organizations: { table: fixedSql('organizations'), key: fixedSql('organization_id'), also: versioned },
  groups: { table: fixedSql('user_groups'), key: fixedSql('group_id'), also: versioned },
  connections: { table: fixedSql('sign_in_connections'), key: fixedSql('connection_id'), also: versioned },
  provisioning: { table: fixedSql('provisioning_connections'), key: fixedSql('connection_id'), also: versioned },
  webhooks: { table: fixedSql('webhook_endpoints'), key: fixedSql('endpoint_id'), also: versioned },
  roles: { table: fixedSql('roles'), key: fixedSql('role'), also: versioned },
  policies: { table: fixedSql('policies'), key: fixedSql('name'), also: versioned },
  branding: { table: fixedSql('branding'), key: fixedSql('scope'), also: versioned },
  keys: { table: fixedSql('api_keys'), key: fixedSql('key_id'), also: fixedSql('') },
} as const

export type ManagedSection = keyof typeof tables

/** Marks objects, or removes the mark. */
export async function setManagedByFile(
  db: Transaction,
  section: ManagedSection,
  ids: readonly string[],
  isManaged: boolean,
): Promise<void> {
  if (ids.length === 0) return
  const { table, key, also } = tables[section]
  await db.run(sql`
    UPDATE ${table} SET managed_by = ${isManaged ? byFile : null} ${also}
    WHERE ${key} IN (SELECT value FROM ${texts(db, ids)})`)
}
