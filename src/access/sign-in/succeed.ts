import type { ChangeContext } from '../../store/context.ts'
import * as sessions from '../sessions/service.ts'
import type { Reservation } from './throttle.ts'
import { clearFailures } from './throttle-service.ts'

type Success = { begin: Parameters<typeof sessions.startSession>[1]; reservation: Reservation }

/** Starts the session and resets the failures in one commit. */
export async function succeed(ctx: ChangeContext, { begin, reservation }: Success) {
  const begun = await sessions.startSession(ctx, begin)
  await clearFailures(ctx, reservation)
  return begun
}
