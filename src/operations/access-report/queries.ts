import { hasMembershipEnds } from '../../administration/groups/service.ts'
import { system } from '../../core/actor.ts'
import { scopeOf } from '../../core/scope.ts'
import { hasEnds } from '../../directory/users/service.ts'
import type { Db } from '../../store/db/db.ts'
import type { StreamHandlers } from '../../store/storage/registry.ts'
import { type ReportFormat, rowWriter } from './formats.ts'
import { type ReportPlan, rowsOf } from './report.ts'

export const streams = {
  'access.report': {
    total: () => undefined,
    async *pieces(db: Db, { format, ...plan }: ReportPlan & { format: ReportFormat }): AsyncGenerator<Uint8Array> {
      const ends = { ofMemberships: await hasMembershipEnds(db), ofUsers: await hasEnds(db, scopeOf(system)) }
      const write = await rowWriter(format, ends)
      let isFirst = true
      for await (const rows of rowsOf(db, plan)) {
        if (rows.length === 0) continue
        yield write(rows, isFirst)
        isFirst = false
      }
      const end = write(undefined, isFirst)
      if (end.length > 0) yield end
    },
  },
} satisfies StreamHandlers
