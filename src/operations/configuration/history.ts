/** The last applies, and what was changed by hand since. */
import type { Db } from '../../store/db/db.ts'
import { findGeneration } from './apply.ts'
import { type Change, driftedMembers, type PlanCounts } from './plan.ts'
import type { ConfigurationHistory } from './schema.ts'
import { readState } from './state.ts'
import { listApplies } from './store.ts'

export async function readHistory(db: Db): Promise<ConfigurationHistory> {
  const { sections } = await readState(db)
  const managed = [...sections.values()].flatMap(({ kind, stored, marks }) => {
    const byId = new Map(stored.map((one) => [one.id, one]))
    return marks.map((mark) => ({ kind: kind.section, mark, found: byId.get(mark.object_id) }))
  })
  const drift = managed.flatMap(({ kind, mark, found }) => {
    const members = found === undefined ? [] : driftedMembers(mark, found)
    if (found !== undefined && members.length === 0) return []
    return [{ kind, name: mark.name, deleted: found === undefined, members }]
  })
  const applies = (await listApplies(db, 50)).map(({ actor_kind, actor_id, plan, generation, ...row }) => ({
    ...row,
    actor: { kind: actor_kind, id: actor_id },
    generation: generation === null ? null : Number(generation),
    ...(JSON.parse(plan) as PlanCounts & { changes: Change[] }),
  }))
  const generation = (await findGeneration(db)) ?? null
  return { generation, managed: managed.length, drift, applies } as ConfigurationHistory
}
