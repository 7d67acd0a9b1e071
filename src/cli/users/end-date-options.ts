/** The end date of a user as options: a day, a time, or how long from now. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { endOfDay } from '../../lib/end-of-day.ts'
import { isInstant } from '../../lib/instant.ts'

export type EndDateOptions = { expires?: string; expiresIn?: string }

export function addEndDateOptions(command: Command): Command {
  return command
    .option('--expires <date>', 'end date: until the end of this day in UTC, or an RFC 3339 time', readEndDate)
    .addOption(
      new Option('--expires-in <time>', 'the same from now on, such as 30d, 12h or 2w')
        .argParser((text) => readTimeFromNow(text, Date.now()))
        .conflicts('expires'),
    )
}

export function endDateOf({ expires, expiresIn }: EndDateOptions): { expires_at?: string } {
  const expires_at = expires ?? expiresIn
  return expires_at === undefined ? {} : { expires_at }
}

export function readEndDate(text: string): string {
  const found = endOfDay(text) ?? (isInstant(text) ? new Date(text).toISOString() : undefined)
  if (found !== undefined) return found
  throw new InvalidArgumentError('It must be a day such as 2026-12-31, or a time such as 2026-12-31T18:00:00Z.')
}

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** @param now epoch milliseconds */
export function readTimeFromNow(text: string, now: number): string {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? []
  if (count === undefined) throw new InvalidArgumentError('It must be hours, days or weeks, such as 12h, 30d or 2w.')
  return new Date(now + Number(count) * (unitsMs[unit] ?? 0)).toISOString()
}
