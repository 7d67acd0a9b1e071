import type { Announcement, ChangeContext } from '../../store/context.ts'
import type { AuditEntry, EventEntry } from '../../store/journal-entry.ts'

/**
 * The context for one of several operations in a change. Its journal entries are held back until `tell` is called, so that
 * concurrent operations are recorded in order, and a refused one leaves nothing.
 */
export function apart(ctx: ChangeContext): { ctx: ChangeContext; flush(): void } {
  const records: AuditEntry[] = []
  const events: EventEntry[] = []
  const announced: Announcement[] = []
  return {
    ctx: {
      ...ctx,
      record: (entry) => records.push(entry),
      recordFor: (_request, entry) => records.push(entry),
      emit: (event) => events.push(event),
      announce: (event) => announced.push(event),
    },
    flush() {
      for (const entry of records) ctx.recordFor(ctx, entry)
      events.forEach(ctx.emit)
      announced.forEach(ctx.announce)
    },
  }
}
