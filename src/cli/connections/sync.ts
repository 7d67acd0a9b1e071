import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { counted, grouped } from '../../lib/amounts.ts'
import type { ImportJob, RollbookClient } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { getConnection } from '../server/find-connection.ts'
import { examples } from '../terminal/examples.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { addOutputOptions, isForPeople, type OutputOptions, printOne, tell } from '../terminal/output.ts'
import { showProgress } from '../terminal/progress.ts'
import { isQuiet } from '../terminal/standard-output.ts'

type Options = OutputOptions & RemoteOptions & { dryRun?: true; maxDisabled?: number; detach?: true; follow?: string }

/** The API is asked this often for the progress. */
const askMs = 500
const verdicts = ['created', 'updated', 'unchanged', 'skipped', 'rejected'] as const

export function addSync(connections: Command): void {
  const sync = connections
    .command('sync')
    .summary('synchronize users with a directory')
    .description(
      'LDAP: creates, links, updates and disables users as the directory has them. Shows the progress and the accounts that were rejected. The server does the work: interrupting this command only stops showing it. If suspiciously many users are gone, none is disabled unless --max-disabled allows it.',
    )
    .argument('<connection>', 'its id or name')
    .option('--dry-run', 'show what would happen to each account, but change nothing')
    .option('--max-disabled <count>', 'how many users may be disabled because they are no longer found', readCount)
    .option('--detach', 'start it and return immediately')
    .option('--follow <job>', 'show a job that was started before')
    .action(runSync)
  examples(sync, [
    ['rollbook connections sync Directory --dry-run', 'see what would happen'],
    ['rollbook connections sync Directory', 'synchronize, and wait for the end'],
    ['rollbook connections sync Directory --max-disabled 40', 'after you have checked that 40 users have left'],
  ])
  addOutputOptions(sync, ['job_id', 'state', 'dry_run', 'rows_done', ...verdicts, 'created_at', 'finished_at'])
  addRemoteOptions(sync)
}

function readCount(text: string): number {
  const count = Number(text)
  if (text.trim() === '' || !Number.isInteger(count) || count < 0) throw new UsageError('Give a whole number of users.')
  return count
}

async function runSync(name: string, options: Options): Promise<void> {
  const { dryRun = false, maxDisabled, detach, follow } = options
  await withServer(options, async (client, signal) => {
    const { connection_id } = await getConnection(client, name, signal)
    const begun =
      follow === undefined
        ? await client.connections.sync(connection_id, {
            signal,
            dryRun,
            ...(maxDisabled !== undefined && { maxDisabled }),
          })
        : await client.imports.get(follow, { signal })
    if (detach) {
      await print(begun, options)
      return tell(`Started ${begun.job_id}. Show it with: rollbook connections sync ${name} --follow ${begun.job_id}`)
    }
    const job = await follower(client, begun, signal)
    await print(job, options)
    await conclude(client, job, signal)
  })
}

async function print({ rejects: _, ...job }: ImportJob, options: Options): Promise<void> {
  if (!isForPeople(options)) await printOne(job, options)
}

async function follower(client: RollbookClient, begun: ImportJob, signal: AbortSignal): Promise<ImportJob> {
  const label = begun.dry_run ? 'Checking' : 'Synchronizing'
  const progress = isQuiet() ? undefined : showProgress({ label, counting: 'account' })
  let job = begun
  try {
    while (job.state === 'running') {
      progress?.update(job.rows_done, undefined, job.rows_done)
      await sleep(askMs, undefined, { signal })
      job = await client.imports.get(job.job_id, { signal })
    }
    return job
  } finally {
    progress?.end()
  }
}

/** @throws Failed if it did not end, or if accounts were rejected */
async function conclude(client: RollbookClient, job: ImportJob, signal: AbortSignal): Promise<void> {
  const { state, dry_run, rows_done, rejected, job_id } = job
  const counts = verdicts.filter((one) => job[one] > 0).map((one) => `${grouped(job[one])} ${one}`)
  tell(`${counted(rows_done, 'account')}: ${counts.join(', ') || 'nothing to do'}.`)
  if (dry_run) tell('Nothing was changed.')
  for await (const { detail, code } of client.imports.rows(job_id, { verdict: 'rejected' }, { signal })) {
    tell(`  ${code}: ${detail}`)
  }
  if (state === 'interrupted') {
    throw new Failed(
      'The synchronization was interrupted. See "rollbook connections failures" for the reason.',
      exitCodes.failed,
    )
  }
  if (state === 'cancelled') throw new Failed('The synchronization was cancelled.', exitCodes.failed)
  if (rejected > 0) throw new Failed(`${counted(rejected, 'account')} rejected.`, exitCodes.someRowsFailed)
}
