/** The cost limit of a page, and the refusal of a page that exceeds it (docs/decisions/0008-lists-probe-or-walk.md, 0042). */
import { AppError } from '../../core/errors.ts'

/** On SQLite, in microseconds of work on a quiet machine. */
export const pageCost = 90_000
/**
 * On PostgreSQL: the planner's highest cost for the statement that reads the rows, and for each statement if they are
 * counted too.
 */
export const [statementCost, statementCostWithCount] = [15_000, 10_000]

/** The page, with its exact count if requested, exceeds the limit. */
export function tooCostly({ counts, offset }: { counts: boolean; offset: boolean }): AppError {
  const ways = [
    ...(counts ? ['use count=estimate'] : []),
    ...(offset ? ['follow the Link of each page instead of offset'] : []),
    'use a longer or rarer text in q or a filter that fewer users pass',
    'leave out sort',
  ]
  const what = counts ? 'count the matches exactly' : 'find this page'
  return new AppError(
    'list_too_costly',
    `Too many users would have to be read to ${what}. Do one of these: ${ways.join('; ')}.`,
  )
}
