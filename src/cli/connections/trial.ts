import type { SignInTrial } from '../../sdk/client/index.ts'
import { formatOf, type OutputOptions, printOne, printRows } from '../terminal/output.ts'
import { put } from '../terminal/standard-output.ts'

const claimColumns = ['claim', 'value', 'note']

/** Prints what a sign-in would do. In a table each claim has a line. */
export async function printTrial(trial: SignInTrial, options: OutputOptions): Promise<void> {
  const isTable = formatOf(options) === 'table' && options.columns === undefined && options.template === undefined
  if (!isTable) return printOne(trial, options)
  // `detail` begins with what was found.
  const { claims, found: _, ...outcome } = trial
  await printOne(outcome, options)
  if (claims.length === 0) return
  await put('\n')
  await printRows(claims, { ...options, known: { all: claimColumns, shown: claimColumns } }, undefined)
}
