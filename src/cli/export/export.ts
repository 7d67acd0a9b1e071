import { type Command, Option } from 'commander'
import { addRemoteOptions } from '../server/connect.ts'
import { addFilterOptions, addMembershipFilterOptions } from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { beQuiet } from '../terminal/standard-output.ts'
import type { ExportOptions } from './run.ts'

export function addUsersExport(users: Command): void {
  const command = users
    .command('export')
    .summary('write users to a file that import can read')
    .description(
      'Writes all users with their groups, or those that match every condition, from one consistent snapshot. Only the owner can read the file, and it gets its name once it is complete on the disk. Prints its SHA-256 and name in the format of sha256sum --check.',
    )
    .argument('[file]', 'the file to write (default: standard output)')
    .addOption(
      new Option('--format <format>', 'format of the file (default: by its name, else ndjson)').choices([
        'ndjson',
        'json',
        'csv',
        'xlsx',
      ]),
    )
    .option('--overwrite', 'replace an existing file')
    .option(
      '--with-password-hashes',
      'include password hashes and one-time codes, and encrypt the file with a passphrase (age format)',
    )
    .option('--no-factors', 'with --with-password-hashes: leave one-time codes and recovery codes out')
    .option('--passphrase-file <file>', 'file with the passphrase (default: ask)')
    .option('--compress', 'let the server compress the data, for a slow connection')
    .option('--json', 'print count, size and SHA-256 as JSON')
    .option('-q, --quiet', 'print no messages except errors')
    .on('option:quiet', beQuiet)
    .action(async (file: string | undefined, options: ExportOptions) => {
      const { runExport } = await import('./run.ts')
      await runExport(file ?? '-', options)
    })
  examples(command, [
    ['rollbook users export users.ndjson', 'export all users'],
    ['rollbook users export --role admin --format csv > admins.csv', 'export the administrators for a spreadsheet'],
    ['rollbook users export users.xlsx', 'export all users as an Excel file'],
    ['rollbook users export --in-group Support support.csv', 'export the members of a group'],
    ['rollbook users export --with-password-hashes users.ndjson.age', 'move users to another server'],
  ])
  addMembershipFilterOptions(addFilterOptions(command))
  addRemoteOptions(command)
}
