import type { ChangeContext } from '../../store/context.ts'
import type { Witnessed } from './recorder.ts'

/** Records what several requests failed to do, each with its own actor and time. */
export async function record(ctx: ChangeContext, witnessed: readonly Witnessed[]): Promise<void> {
  for (const { entry, now, requestId, origin } of witnessed) {
    ctx.recordFor({ actor: ctx.actor, now, requestId, origin }, entry)
  }
}
