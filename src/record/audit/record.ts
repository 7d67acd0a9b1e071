import type { ChangeContext } from '../../store/context.ts'
import type { Witnessed } from './recorder.ts'

/** Writes down what several requests did in vain, each in its own name and at its own time. */
export async function record(ctx: ChangeContext, witnessed: readonly Witnessed[]): Promise<void> {
  for (const { entry, now, requestId, origin } of witnessed) {
    ctx.recordFor({ actor: ctx.actor, now, requestId, origin }, entry)
  }
}
