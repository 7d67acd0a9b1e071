import { type Command, InvalidArgumentError, Option } from 'commander'
import { encodings } from '../../lib/text-encoding.ts'
import { sourceNames } from '../../moving-in/reading/source-names.ts'
import { addRemoteOptions } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions } from '../terminal/output.ts'
import type { ImportOptions } from './run.ts'

export function addUsersImport(users: Command): void {
  const command = users
    .command('import')
    .summary('create or update users from a file or another system')
    .description(
      'Imports a file of any size: NDJSON, JSON, CSV or an Excel file (.xlsx, its first sheet) with the members of a user, a file from rollbook users export, or an export of another system (--from). A rejected row does not stop the others. Importing the same file again changes nothing.',
    )
    .argument('[file]', 'the file, which may be gzipped or encrypted by export; - is standard input')
    .addOption(
      new Option('--format <format>', 'format of the file (default: by its name)').choices([
        'ndjson',
        'csv',
        'json',
        'xlsx',
      ]),
    )
    .addOption(
      new Option(
        '--encoding <name>',
        'encoding of the text (default: by its byte order mark, else UTF-8, or for CSV windows-1252 if it is not UTF-8)',
      ).choices(encodings),
    )
    .option('--update', 'update existing users with the values of the rows')
    .addOption(
      new Option('--match <member>', 'member that identifies an existing user (default: username)').choices([
        'username',
        'email',
        'external_id',
        'user_id',
      ]),
    )
    .addOption(
      new Option(
        '--on-conflict <what>',
        'what to do with existing users who differ, without --update (default: reject)',
      )
        .choices(['reject', 'skip'])
        .conflicts('update'),
    )
    .option('--dry-run', 'show the verdict on each row, but change nothing')
    .option('--rejects <file>', 'file for rejected rows (default: <name>.rejects.<format> in this directory)')
    .option('--resume <job>', 'continue this import, with the same file')
    .option('--cancel <job>', 'cancel this import; finished rows stay')
    .option('--retry-for <seconds>', 'how long to retry while the server does not respond', readPatience, 60)
    .option('--passphrase-file <file>', 'file with the passphrase of an encrypted file (default: ask)')
    .action(async (file: string | undefined, options: ImportOptions) => {
      const { runImport } = await import('./run.ts')
      await runImport(file, options)
    })
  addSourceOptions(command)
  examples(command, [
    ['rollbook users import staff.csv --dry-run', 'show the verdict on each row'],
    ['rollbook users import staff.csv --update --match external_id', 'create new users and update the others'],
    ['rollbook users import staff.xlsx', 'create the users of the first sheet of an Excel file'],
    ['rollbook users import --from keycloak realm-export.json', 'migrate from Keycloak'],
    ['rollbook users import --from json people.json --dry-run', 'guess which path is what, and check'],
  ])
  addOutputOptions(command, {
    all: [
      'job_id',
      'state',
      'dry_run',
      'mode',
      'match',
      'on_conflict',
      'format',
      'rows_done',
      'created',
      'updated',
      'unchanged',
      'skipped',
      'rejected',
      'created_at',
      'updated_at',
      'finished_at',
    ],
    shown: ['job_id', 'state', 'rows_done', 'created', 'updated', 'unchanged', 'skipped', 'rejected'],
  })
  addRemoteOptions(command)
}

/** The options of exports of other systems. */
function addSourceOptions(command: Command): void {
  command
    .addOption(new Option('--from <system>', 'the file is an export of this system').choices(sourceNames))
    .option('--mapping <file>', 'with --from csv or json: maps columns or paths to members (default: guess and ask)')
    .option('-y, --yes', 'use a guessed mapping without asking')
    .option('--role-map <file>', 'with --from: maps roles, JSON {"their role": "your role"}')
    .option('--keep-ids', 'with --from: keep ids that are UUIDs as user_id')
    .addOption(
      new Option(
        '--unverified-emails <what>',
        'with --from: what to do with unverified addresses (default: keep)',
      ).choices(['keep', 'leave-out']),
    )
    .addOption(
      new Option(
        '--clear-passwords <what>',
        'with --from keycloak or ldif: what to do with passwords in plain text (default: leave-out)',
      ).choices(['leave-out', 'hash']),
    )
    .option('--passwords <file>', 'with --from auth0: its export of password hashes')
    .option('--hash-config <file>', 'with --from firebase: its password hash parameters')
    .option(
      '--organizations <file>',
      'with --from auth0, clerk, logto or better-auth: organizations and their members, a file or a directory',
    )
    .option('--without-organizations', 'with --from: import users without their organizations')
    .option('--report <file>', 'with --from: write a JSON report of what could not be imported')
}

function readPatience(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && seconds >= 0 && seconds <= 86_400) return seconds
  throw new InvalidArgumentError('It must be a number of seconds, at most 86400.')
}
