/** Announces, once, certificates of providers that end soon: without a next one, sign-ins fail from that day on. */

import { system } from '../../../core/actor.ts'
import { notifyAdministrators } from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import { claimRun } from '../../../store/claim-run.ts'
import type { ChangeContext } from '../../../store/context.ts'
import * as connections from '../../providers/connections/service.ts'
import { insertUsedMessage } from './pending-store.ts'
import { usedHash } from './used-hash.ts'

const dayMs = 86_400_000
/** As long as a company needs to hand over its next certificate. */
const announcedDays = 30

export async function announceCertificates(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'sign_in_connections.announce_certificates', everyMs))) return 0
  let announced = 0
  for (const connection of await connections.list(ctx)) {
    const { certificate_details = [], connection_id, name, active, organization_id = null } = connection
    if (!active) continue
    for (const { fingerprint, not_after } of certificate_details) {
      if (Date.parse(not_after) > ctx.now + announcedDays * dayMs) continue
      const id = usedHash(`certificate ${connection_id} ${fingerprint}`)
      const forgetAt = Math.max(Date.parse(not_after), ctx.now) + 2 * announcedDays * dayMs
      if (!(await insertUsedMessage(ctx.db, id, timestamp(forgetAt)))) continue
      announced += 1
      ctx.recordFor(
        { ...ctx, actor: system },
        {
          action: 'sign_in_connection.certificate_expiring',
          target: connections.targetOf({ connection_id, name, organization_id }),
          details: { fingerprint, not_after },
        },
      )
      await notifyAdministrators(ctx, { kind: 'certificate_expiring', data: { connection: name, time: not_after } })
    }
  }
  return announced
}
