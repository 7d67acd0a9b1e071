/** One step of sending, in one transaction: settles the last outcomes, and claims what is due. */
import { timestamp } from '../../../lib/instant.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Health } from '../../delivery/service.ts'
import { linkPaths } from '../kinds.ts'
import * as store from '../store.ts'
import { insertToken } from '../tokens.ts'
import { type Outcome, recordOutcomes } from './outcomes.ts'

export type Step = {
  outcomes: Outcome[]
  /** How many may be claimed. */
  room: number
  /** A hash of a new token for each of them. The tokens stay in the node that sends. */
  token_hashes: string[]
  /** The end of the lease: a node that has not reported the outcome by then loses the message to others. */
  lease_ms: number
}

/** A claimed message. With a link it has the hash of the token that it is sent with. `organization_id`: of its user, or of its setup link. */
export type Claimed = store.MailRow & { token_hash: string | null; organization_id: string | null }

export type Stepped = { claimed: Claimed[]; claimed_until: string }

export async function advance(ctx: ChangeContext, step: Step): Promise<Stepped> {
  const { outcomes, room, token_hashes, lease_ms } = step
  const claimed_until = timestamp(ctx.now + lease_ms)
  const server = await recordOutcomes(ctx, await store.findServerForChange(ctx.db), outcomes)
  const claimed = await withOrganizations(ctx, await claim(ctx, server, room, claimed_until))
  return { claimed: await withTokens(ctx, claimed, token_hashes), claimed_until }
}

type Placed = Omit<Claimed, 'token_hash'>

async function withOrganizations(ctx: ChangeContext, rows: store.MailRow[]): Promise<Placed[]> {
  const userIds = rows.flatMap(({ user_id }) => user_id ?? [])
  const linkIds = rows.flatMap(({ kind, link_id }) => (kind === 'setup_link' && link_id !== null ? [link_id] : []))
  const users = userIds.length === 0 ? [] : await store.findOrganizationsOf(ctx.db, userIds)
  const links = linkIds.length === 0 ? [] : await store.findOrganizationsOfSetupLinks(ctx.db, linkIds)
  const byId = new Map([
    ...users.map(({ user_id, organization_id }) => [user_id, organization_id] as const),
    ...links.map(({ link_id, organization_id }) => [link_id, organization_id] as const),
  ])
  return rows.map((row) => ({ ...row, organization_id: byId.get(row.user_id ?? row.link_id ?? '') ?? null }))
}

function withTokens(ctx: ChangeContext, rows: Placed[], hashes: readonly string[]): Promise<Claimed[]> {
  return Promise.all(
    rows.map(async (row, i) => {
      const { link_id } = row
      if (link_id === null || linkPaths[row.kind] === undefined) return { ...row, token_hash: null }
      const token_hash = hashes[i] as string
      await insertToken(ctx.db, { token_hash, link_id, mailed: 1 })
      return { ...row, token_hash }
    }),
  )
}

async function claim(
  ctx: ChangeContext,
  server: Health,
  room: number,
  claimed_until: string,
): Promise<store.MailRow[]> {
  const now = timestamp(ctx.now)
  if (room === 0 || (server.paused_until !== null && server.paused_until > now)) return []
  const due = await store.listDue(ctx.db, now, server.failing_since === null ? room : 1)
  const fresh = due.filter(({ expires_at }) => expires_at === null || expires_at > now)
  const stale = due.filter((row) => !fresh.includes(row))
  await Promise.all(stale.map((row) => store.writeOutcome(ctx.db, expired(row, now))))
  if (fresh.length === 0) return []
  await store.claimMails(
    ctx.db,
    fresh.map(({ mail_id }) => mail_id),
    claimed_until,
  )
  // This node takes over the probe for all nodes.
  if (server.failing_since !== null) await store.setHealth(ctx.db, { ...server, paused_until: claimed_until })
  return withLatestNotices(ctx, fresh)
}

/** A change may have added a notice between the reading and the claim, and none can afterwards. */
async function withLatestNotices(ctx: ChangeContext, rows: store.MailRow[]): Promise<store.MailRow[]> {
  const gathered = rows.filter(({ kind }) => kind === 'notices').map(({ mail_id }) => mail_id)
  if (gathered.length === 0) return rows
  const latest = new Map((await store.listByIds(ctx.db, gathered)).map((row) => [row.mail_id, row]))
  return rows.map((row) => latest.get(row.mail_id) ?? row)
}

/** A message with a dead link would only confuse its reader. */
function expired({ mail_id, attempt_count, error, response }: store.MailRow, now: string): store.Settled {
  const common = { mail_id, attempt_count, response, next_attempt_at: null, finished_at: now }
  return { ...common, status: 'failed', error: error ?? 'link_expired' }
}
