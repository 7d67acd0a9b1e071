/** Groups records by day, in the reader's time zone. */
import type { AuditRecord } from 'rollbook/client'
import { localDay } from '../../ui/days.ts'

type DayOfRecords = { day: string; records: AuditRecord[] }

export function byDay(records: readonly AuditRecord[], dayOf: (instant: Date) => string = localDay): DayOfRecords[] {
  const days: DayOfRecords[] = []
  for (const record of records) {
    const day = dayOf(new Date(record.occurred_at))
    const last = days.at(-1)
    if (last?.day === day) last.records.push(record)
    else days.push({ day, records: [record] })
  }
  return days
}
