/** The nodes of a store: each reports itself once a minute, so that any of them can list all. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { version } from '../../core/version.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'

type NodeRow = { node_id: string; host: string; version: string; started_at: string; last_seen_at: string }

/** A node that was silent for this long is gone: it missed three reports. */
const missedMs = 180_000

const node_id = randomUUID()

/** This process as a node. */
export function thisNode(startedAt: string): Omit<NodeRow, 'last_seen_at'> {
  return { node_id, host: hostname(), version, started_at: startedAt }
}

/** Reports a node, and deletes those that are gone. */
export async function report(ctx: ChangeContext, node: Omit<NodeRow, 'last_seen_at'>): Promise<void> {
  const now = timestamp(ctx.now)
  await ctx.db.run(sql`DELETE FROM nodes WHERE last_seen_at < ${timestamp(ctx.now - missedMs)}`)
  await ctx.db.run(sql`
    INSERT INTO nodes (node_id, host, version, started_at, last_seen_at)
    VALUES (${node.node_id}, ${node.host}, ${node.version}, ${node.started_at}, ${now})
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
