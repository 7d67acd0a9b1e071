/** The nodes of a store: each reports itself once a minute, so that any of them can list all. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { version } from '../../core/version.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'
import { differences, type SettingDigests } from './shared-settings.ts'

type NodeRow = { node_id: string; host: string; version: string; started_at: string; last_seen_at: string }

/** `settings`: digests as JSON; null from an earlier release. */
type Report = Omit<NodeRow, 'last_seen_at'> & { settings?: string | undefined }

/** A node that was silent for this long is gone: it missed three reports. */
const missedMs = 180_000

const node_id = randomUUID()

/** This process as a node. */
export function thisNode(startedAt: string): Omit<NodeRow, 'last_seen_at'> {
  return { node_id, host: hostname(), version, started_at: startedAt }
}

/** Reports a node, and deletes those that are gone. */
export async function report(ctx: ChangeContext, node: Report): Promise<void> {
  const now = timestamp(ctx.now)
  await ctx.db.run(sql`DELETE FROM nodes WHERE last_seen_at < ${timestamp(ctx.now - missedMs)}`)
  await ctx.db.run(sql`
    INSERT INTO nodes (node_id, host, version, started_at, last_seen_at, settings)
    VALUES (${node.node_id}, ${node.host}, ${node.version}, ${node.started_at}, ${now}, ${node.settings ?? null})
    ON CONFLICT (node_id) DO UPDATE SET last_seen_at = excluded.last_seen_at`)
}

export async function removeNode(ctx: ChangeContext, { node_id }: { node_id: string }): Promise<void> {
  await ctx.db.run(sql`DELETE FROM nodes WHERE node_id = ${node_id}`)
}

/** Returns all nodes seen lately, the longest-running first. */
export function listNodes(db: Db, now: number): Promise<NodeRow[]> {
  return db.all<NodeRow>(sql`
    SELECT node_id, host, version, started_at, last_seen_at FROM nodes
    WHERE last_seen_at >= ${timestamp(now - missedMs)} ORDER BY started_at, node_id`)
}

/** Returns the other nodes whose settings differ from `own`, with the names of those settings. */
export async function listDifferences(
  db: Db,
  own: SettingDigests,
  now: number,
): Promise<{ host: string; names: string[] }[]> {
  const rows = await db.all<{ host: string; settings: string }>(sql`
    SELECT host, settings FROM nodes
    WHERE last_seen_at >= ${timestamp(now - missedMs)} AND node_id <> ${node_id} AND settings IS NOT NULL ORDER BY started_at, node_id`)
  return rows
    .map(({ host, settings }) => ({ host, names: differences(own, JSON.parse(settings)) }))
    .filter(({ names }) => names.length > 0)
}

/** Says in which settings this node differs from others. */
export function explainDifferences(found: Awaited<ReturnType<typeof listDifferences>>): string | undefined {
  if (found.length === 0) return undefined
  const names = [...new Set(found.flatMap((node) => node.names))]
  const hosts = [...new Set(found.map(({ host }) => host))]
  return (
    `This node has other values than ${hosts.slice(0, 5).join(', ')} for ${names.join(', ')}. Give all nodes the same settings: with ` +
    'different ones they refuse the tokens of each other, end the key of each other, or decide differently.'
  )
}
