/** What the row of a factor begins with, and what of it may leave. */
import { timestamp } from '../../../lib/instant.ts'
import type { Context } from '../../../store/context.ts'
import { transportsOf } from './passkey-options.ts'
import type { Factor } from './schema.ts'
import type { FactorRow } from './store.ts'

type Given = Partial<FactorRow> & Pick<FactorRow, 'factor_id' | 'user_id' | 'kind' | 'name' | 'secret'>

export function newRow(ctx: Pick<Context, 'now'>, input: Given): FactorRow {
  return {
    sealed: 0,
    last_step: 0,
    confirmed_at: null,
    last_used_at: null,
    credential_id: null,
    public_key: null,
    sign_count: 0,
    transports: '',
    rp_id: null,
    aaguid: null,
    backup_eligible: 0,
    backed_up: 0,
    ...input,
    created_at: timestamp(ctx.now),
  }
}

/** The only function that decides what of a row may leave. */
export function toFactor(row: FactorRow): Factor {
  const { factor_id, kind, name, created_at, last_used_at } = row
  return {
    factor_id,
    kind,
    name,
    created_at,
    last_used_at,
    passkey: passkeyOf(row),
  }
}

function passkeyOf({ credential_id, rp_id, aaguid, ...row }: FactorRow): Factor['passkey'] {
  if (credential_id === null || rp_id === null) return null
  return {
    credential_id,
    rp_id,
    transports: transportsOf(row.transports),
    aaguid: aaguid ?? '',
    backup_eligible: Number(row.backup_eligible) === 1,
    backed_up: Number(row.backed_up) === 1,
  }
}
