/** Guesses the mapping of a file that came without one, prints it, and asks before it is used. */
import { shownNames } from '../../lib/shown-name.ts'
import { UsageError } from '../terminal/failure.ts'
import { tell } from '../terminal/output.ts'
import { confirm, type WriteOptions } from '../terminal/write-options.ts'
import { type InputOptions, openBytes } from './input.ts'

/** Returns the mapping as JSON. @throws UsageError for standard input, which cannot be read twice */
export async function guessedMapping(file: string, options: InputOptions & WriteOptions): Promise<string> {
  const { from } = options
  if (file === '-')
    throw new UsageError(`--from ${from} needs --mapping for standard input, which can be read only once.`)
  const { guessMapping } = await import('../../moving-in/formats/guess.ts')
  const { bytes } = await openBytes(file, options)
  const { mapping, system, clear } = await guessMapping(bytes, from === 'csv' ? 'csv' : 'json')
  const text = JSON.stringify(mapping, undefined, 2)
  tell(`Guessed this mapping. To change it, save it in a file and give that with --mapping:\n${text}`)
  if (system !== undefined) tell(`The file looks like ${system}: --from ${system} has a ready mapping.`)
  if (clear.length > 0)
    tell(`Not imported: ${shownNames(clear)}, which may be passwords in plain text. Map "password" to import them.`)
  await confirm('Import with this mapping?', options)
  return text
}
