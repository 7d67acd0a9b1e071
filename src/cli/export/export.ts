import { type Command, Option } from 'commander'
import { addRemoteOptions } from '../server/connect.ts'
import { addFilterOptions } from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { beQuiet } from '../terminal/standard-output.ts'
import type { ExportOptions } from './run.ts'

export function addUsersExport(users: Command): void {
  const command = users
    .command('export')
    .summary('write all users to a file, as import takes it')
    .description(
      'Writes all users, or those who match, as one consistent state. The file has\nits name only when it is whole and on the disk, and is for its owner only.\nPrinted are its SHA-256 and its name, as sha256sum --check takes them.',
    )
    .argument('[file]', 'the file (default: standard output)')
    .addOption(
      new Option('--format <format>', 'of the rows (default: as the name of the file says, else ndjson)').choices([
        'ndjson',
        'json',
        'csv',
      ]),
    )
    .option('--overwrite', 'replace a file that is there')
    .option('--with-password-hashes', 'with the hashes of the passwords, encrypted to a passphrase (format age)')
    .option('--passphrase-file <file>', 'the passphrase to encrypt with (default: asked for)')
    .option('--compress', 'let the server compress what it sends, for a slow line')
    .option('--json', 'print count, size and digest as JSON')
    .option('-q, --quiet', 'say nothing but what went wrong')
    .on('option:quiet', beQuiet)
    .action(async (file: string | undefined, options: ExportOptions) => {
      const { runExport } = await import('./run.ts')
      await runExport(file ?? '-', options)
    })
  examples(command, [
    ['rollbook users export users.ndjson', 'everybody, as rollbook users import takes them'],
    ['rollbook users export --role admin --format csv > admins.csv', 'for a spreadsheet'],
    ['rollbook users export --with-password-hashes users.ndjson.age', 'for moving to another store'],
  ])
  addFilterOptions(command)
  addRemoteOptions(command)
}
