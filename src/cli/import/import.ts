import { type Command, InvalidArgumentError, Option } from 'commander'
import { addRemoteOptions } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions } from '../terminal/output.ts'
import type { ImportOptions } from './run.ts'

/** As in moving-in/, which is not loaded to show the help. */
const sources = [
  'keycloak',
  'auth0',
  'supabase',
  'kratos',
  'firebase',
  'django',
  'lldap',
  'pocketbase',
  'csv',
] as const satisfies readonly ImportOptions['from'][]

export function addUsersImport(users: Command): void {
  const command = users
    .command('import')
    .summary('create or update many users from a file, or from another system')
    .description(
      'Sends a file of any size in parts: NDJSON or CSV whose members are those of a user, a list as rollbook users export writes it, or with --from what another system exports. Each row stands for itself; one that is rejected stops nothing. The same file again changes nothing.',
    )
    .argument('[file]', 'the file, also packed with gzip or encrypted by export; - is standard input')
    .addOption(
      new Option('--format <format>', 'what the file is (default: as its name says)').choices([
        'ndjson',
        'csv',
        'json',
      ]),
    )
    .option('--update', 'give users who are there already what the rows say')
    .addOption(
      new Option('--match <member>', 'by what a user is known who is there already (default: username)').choices([
        'username',
        'email',
        'external_id',
        'user_id',
      ]),
    )
    .addOption(
      new Option('--on-conflict <what>', 'with users who are there and differ, without --update (default: reject)')
        .choices(['reject', 'skip'])
        .conflicts('update'),
    )
    .option('--dry-run', 'say what would become of each row, and change nothing')
    .option('--rejects <file>', 'where the rejected rows go (default: <name>.rejects.<format> here)')
    .option('--resume <job>', 'go on with this import, with the same file')
    .option('--cancel <job>', 'give this import up; what it did stays')
    .option('--retry-for <seconds>', 'how long to try while the server is away', readPatience, 60)
    .option('--passphrase-file <file>', 'of an encrypted file (default: asked for)')
    .addOption(new Option('--from <system>', 'the file is an export of this system').choices(sources))
    .option('--mapping <file>', 'of --from csv: which column is which member')
    .option('--role-map <file>', 'of --from: JSON, {"their role": "role here"}')
    .option('--keep-ids', 'of --from: keep ids that are UUIDs as user_id')
    .addOption(
      new Option(
        '--unverified-emails <what>',
        'of --from: addresses that nobody has confirmed (default: keep)',
      ).choices(['keep', 'leave-out']),
    )
    .option('--passwords <file>', 'of --from auth0: its export of password hashes')
    .option('--hash-config <file>', 'of --from firebase: its password hash parameters')
    .option('--report <file>', 'of --from: write there, as JSON, what could not be carried over')
    .action(async (file: string | undefined, options: ImportOptions) => {
      const { runImport } = await import('./run.ts')
      await runImport(file, options)
    })
  examples(command, [
    ['rollbook users import staff.csv --dry-run', 'what would become of each row'],
    ['rollbook users import staff.csv --update --match external_id', 'create who is new, update the others'],
    ['rollbook users import --from keycloak realm-export.json', 'move in from Keycloak'],
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

function readPatience(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && seconds >= 0 && seconds <= 86_400) return seconds
  throw new InvalidArgumentError('It must be a number of seconds.')
}
