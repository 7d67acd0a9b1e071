/** `rollbook reviews`: access reviews, in which people decide who keeps which access. */
import { Readable } from 'node:stream'
import { type Command, Option } from 'commander'
import { counted } from '../../lib/amounts.ts'
import type { DecidedReviewRows, Review, ReviewRow, RollbookClient } from '../../sdk/client/index.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { folded, getUser, isUserId as isUuid } from '../server/find-user.ts'
import {
  addFilterOptions,
  addMembershipFilterOptions,
  type FilterOptions,
  filterOf,
  withIds,
} from '../server/user-filter.ts'
import { examples } from '../terminal/examples.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, notFound, UsageError } from '../terminal/failure.ts'
import { writeNewFile } from '../terminal/new-file.ts'
import { addOutputOptions, formatOf, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { visibleText } from '../terminal/visible-text.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'
import { readEndDate } from '../users/end-date-options.ts'

type Common = OutputOptions & RemoteOptions

const columns = {
  all: [
    ...['review_id', 'name', 'state', 'filter', 'due_at', 'reviewers', 'remove_open', 'row_count', 'counts'],
    ...['created_at', 'created_by', 'updated_at', 'closed_at', 'closed_by', 'digest'],
  ],
  shown: ['review_id', 'name', 'state', 'due_at', 'row_count', 'counts'],
}
const rowColumns = {
  all: [
    ...['row_id', 'user_id', 'username', 'email', 'first_name', 'last_name', 'kind', 'active', 'source', 'role'],
    ...['group_id', 'group', 'permissions', 'since', 'granted_by', 'last_login_at', 'second_factor', 'keys'],
    ...['state', 'comment', 'decided_at', 'decided_by'],
  ],
  shown: ['username', 'source', 'role', 'group', 'since', 'granted_by', 'last_login_at', 'state', 'decided_by'],
}
const states = ['open', 'kept', 'removed', 'changed_meanwhile'] as const satisfies ReviewRow['state'][]

export function addReviews(program: Command): void {
  const reviews = program
    .command('reviews')
    .summary('decide who keeps which access')
    .description(
      'Begins, decides and closes access reviews. A review is named by its id, or by its name if no other has it.',
    )
  examples(reviews, [
    ['rollbook reviews create "Q4 2026" --due 2026-12-31 --role admin', 'review the access of the administrators'],
    ['rollbook reviews decide "Q4 2026" ada --remove --comment "left the team"', 'take the access of a user away'],
    ['rollbook reviews close "Q4 2026"', 'seal what was decided'],
  ])
  addList(reviews)
  addCreate(reviews)
  addShow(reviews)
  addRows(reviews)
  addDecide(reviews)
  addClose(reviews)
}

function addList(reviews: Command): void {
  const list = reviews
    .command('list')
    .summary('list access reviews')
    .description('Lists all access reviews, the newest first.')
    .action((options: Common) =>
      withServer(options, async (client, signal) => {
        const found = await client.reviews.list({ signal })
        await printRows(
          found.map((review) => flatReview(review, options)),
          options,
          'reviews',
        )
      }),
    )
  examples(list, [
    ['rollbook reviews list', 'show all reviews'],
    ['rollbook reviews list --json name,counts', 'how far each is'],
  ])
  addOutputOptions(list, columns)
  addRemoteOptions(list)
}

type CreateOptions = Common & FilterOptions & { due: string; reviewer?: string[]; removeOpen?: true; dryRun?: true }

function addCreate(reviews: Command): void {
  const create = reviews
    .command('create')
    .summary('begin an access review')
    .description(
      'Freezes the access of all users with a permission, or of those that match every condition, for reviewers to decide about.',
    )
    .argument('<name>', 'the name of the review')
    .requiredOption('--due <date>', 'until the end of this day in UTC, or an RFC 3339 time', readEndDate)
    .option('--reviewer <user...>', 'who decides: ids, usernames or email addresses (default: reviews:write)')
    .option('--remove-open', 'remove the access that is not decided when the review is due')
    .option('--dry-run', 'make all checks and show what would happen, but change nothing')
    .action(runCreate)
  examples(create, [
    ['rollbook reviews create "Q4 2026" --due 2026-12-31 --role admin', 'review the access of the administrators'],
    ['rollbook reviews create Support --due 2026-12-31 --in-group Support --reviewer ada grace', 'two people decide'],
  ])
  addMembershipFilterOptions(addFilterOptions(create))
  addOutputOptions(create, columns)
  addRemoteOptions(create)
}

async function runCreate(name: string, options: CreateOptions): Promise<void> {
  const { due, reviewer = [], removeOpen = false, dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const filter = await withIds(filterOf(options), client, signal)
    const reviewers = await Promise.all(reviewer.map(async (text) => (await getUser(client, text, {}, signal)).user_id))
    const body = { name, due_at: due, remove_open: removeOpen, filter, ...(reviewers.length > 0 && { reviewers }) }
    const review = await client.reviews.create(body, { signal, dryRun })
    await printOne(flatReview(review, options), options)
    tell(dryRun ? 'Nothing was changed.' : `Began the review of ${counted(review.row_count, 'row')}.`)
  })
}

function addShow(reviews: Command): void {
  const show = reviews
    .command('show')
    .alias('get')
    .summary('show an access review')
    .description('Shows a review, and how many rows are in each state.')
    .argument('<review>', 'id or name')
    .action((text: string, options: Common) =>
      withServer(options, async (client, signal) =>
        printOne(flatReview(await getReview(client, text, signal), options), options),
      ),
    )
  examples(show, [
    ['rollbook reviews show "Q4 2026"', 'show a review'],
    ['rollbook reviews show "Q4 2026" --json counts', 'how far it is'],
  ])
  addOutputOptions(show, columns)
  addRemoteOptions(show)
}

type RowsOptions = Common & { state?: ReviewRow['state']; format?: 'csv' | 'html' }

function addRows(reviews: Command): void {
  const rows = reviews
    .command('rows')
    .summary('list the rows of an access review, or write them to a file')
    .description(
      'Lists the rows of a review with their decisions. With a file or --format, writes them for a spreadsheet (csv), or as a page to print for auditors (html).',
    )
    .argument('<review>', 'id or name')
    .argument('[file]', 'a new file, which only its owner can read')
    .addOption(new Option('--state <state>', 'only rows in this state').choices(states))
    .addOption(new Option('--format <format>', 'format of the file (default: by its name)').choices(['csv', 'html']))
    .action(runRows)
  examples(rows, [
    ['rollbook reviews rows "Q4 2026" --state open', 'what is not decided yet'],
    ['rollbook reviews rows "Q4 2026" q4-2026.html', 'the page for auditors'],
    ['rollbook reviews rows "Q4 2026" --format csv > q4-2026.csv', 'all rows for a spreadsheet'],
  ])
  addOutputOptions(rows, rowColumns)
  addRemoteOptions(rows)
}

const mediaTypes = { csv: 'text/csv', html: 'text/html' } as const

async function runRows(text: string, file: string | undefined, options: RowsOptions): Promise<void> {
  const { state } = options
  const format = options.format ?? (file === undefined ? undefined : formatOfName(file))
  const query = { ...(state !== undefined && { state }) }
  await withServer(options, async (client, signal) => {
    const { review_id } = await getReview(client, text, signal)
    if (format === undefined) {
      return printRows(flatRows(client.reviews.rows(review_id, query, { signal }), options), options, 'rows')
    }
    const accept = mediaTypes[format]
    const { headers, body, cancel } = await client.open('GET', `/reviews/${review_id}/rows`, {
      query,
      headers: { accept },
      signal,
    })
    if (!headers.get('content-type')?.startsWith(accept)) {
      cancel()
      throw new Failed('The response is not from Rollbook. Check the URL.', exitCodes.failed)
    }
    await writeNewFile(Readable.from(body, { objectMode: false }), file, { sanitize: visibleText, signal })
    if (file !== undefined) tell(`Wrote ${file}.`)
  })
}

function formatOfName(file: string): 'csv' | 'html' {
  const [, ending] = /\.(csv|html)$/i.exec(file) ?? []
  if (ending === undefined) throw new UsageError('Give --format csv or html, or a file whose name ends so.')
  return ending.toLowerCase() as 'csv' | 'html'
}

type DecideOptions = Common & WriteOptions & Partial<Record<'keep' | 'remove', true>> & { comment?: string }

function addDecide(reviews: Command): void {
  const decide = reviews
    .command('decide')
    .summary('keep or remove access')
    .description(
      'Decides rows of an open review. --remove takes the roles and memberships away at once; --keep of a row that was removed gives it back. A row that a rule protects stays as it is, and says why; then the exit code is 6.',
    )
    .argument('<review>', 'id or name')
    .argument('<rows...>', 'ids of rows; or usernames, for all rows of these users')
    .addOption(new Option('--keep', 'they keep the access').conflicts('remove'))
    .option('--remove', 'they lose the access now')
    .option('--comment <text>', 'why; auditors read it')
    .action(runDecide)
  examples(decide, [
    ['rollbook reviews decide "Q4 2026" ada --remove --comment "left the team"', 'take the access of a user away'],
    ['rollbook reviews decide "Q4 2026" ada --keep', 'keep it, or give it back'],
    ['rollbook reviews decide "Q4 2026" ada --remove --dry-run', 'show what removing would do'],
  ])
  addWriteOptions(decide)
  addOutputOptions(decide, { all: ['row_id', 'state', 'code', 'detail'], shown: ['row_id', 'state', 'detail'] })
  addRemoteOptions(decide)
}

/** The most rows of one request. */
const decidedAtOnce = 1000

async function runDecide(text: string, named: string[], options: DecideOptions): Promise<void> {
  const { remove, comment, dryRun = false } = options
  if (!options.keep && !remove) throw new UsageError('Give --keep or --remove.')
  const decision = remove ? 'remove' : 'keep'
  await withServer(options, async (client, signal) => {
    const { review_id, name } = await getReview(client, text, signal)
    const ids = await rowIdsOf(client, review_id, named, signal)
    const what = counted(ids.length, 'role or membership', 'roles and memberships')
    if (remove) await confirm(`Take away ${what} (${name})?`, options)
    const rows: DecidedReviewRows['rows'] = []
    for (let from = 0; from < ids.length; from += decidedAtOnce) {
      const body = {
        row_ids: ids.slice(from, from + decidedAtOnce),
        decision,
        ...(comment !== undefined && { comment }),
      } as const
      rows.push(...(await client.reviews.decide(review_id, body, { signal, dryRun })).rows)
    }
    await printRows(rows, options, 'rows')
    const refused = rows.filter(({ code }) => code !== undefined).length
    if (refused > 0)
      throw new Failed(`Not decided: ${counted(refused, 'row')} of ${rows.length}.`, exitCodes.someRowsFailed)
    tell(dryRun ? 'Nothing was changed.' : `Decided ${counted(rows.length, 'row')}.`)
  })
}

/** @throws Failed for a user without a row */
async function rowIdsOf(
  client: RollbookClient,
  reviewId: string,
  named: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const isRowId = (text: string) => isUuid(text.slice(0, 36)) && text[36] === '.'
  const ids = new Set(named.filter(isRowId).map((text) => text.toLowerCase()))
  const wanted = new Map(named.filter((text) => !isRowId(text)).map((text) => [folded(text), { text, isFound: false }]))
  if (wanted.size === 0) return [...ids]
  for await (const row of client.reviews.rows(reviewId, {}, { signal })) {
    for (const key of [row.username, row.user_id, row.email ?? ''].map(folded)) {
      const one = wanted.get(key)
      if (one === undefined || key === '') continue
      one.isFound = true
      ids.add(row.row_id)
    }
  }
  const missing = [...wanted.values()].find(({ isFound }) => !isFound)
  if (missing !== undefined) throw notFound('row of', missing.text, 'reviews rows')
  return [...ids]
}

function addClose(reviews: Command): void {
  const close = reviews
    .command('close')
    .summary('close and seal an access review')
    .description('Closes a review for ever, and writes the digest of its rows into the audit log.')
    .argument('<review>', 'id or name')
    .action(runClose)
  examples(close, [
    ['rollbook reviews close "Q4 2026"', 'seal what was decided'],
    ['rollbook reviews close "Q4 2026" --dry-run', 'check whether it can be closed'],
  ])
  addWriteOptions(close)
  addOutputOptions(close, columns)
  addRemoteOptions(close)
}

async function runClose(text: string, options: Common & WriteOptions): Promise<void> {
  const { dryRun = false } = options
  await withServer(options, async (client, signal) => {
    const { review_id, name, counts } = await getReview(client, text, signal)
    await confirm(`Close ${name} for ever? Not decided: ${counted(counts.open, 'row')}.`, options)
    await printOne(flatReview(await client.reviews.close(review_id, { signal, dryRun }), options), options)
    tell(dryRun ? 'Nothing was changed.' : `Closed ${name}.`)
  })
}

/** By its id, or by its name. @throws Failed for an unknown review, UsageError for a name of several */
async function getReview(client: RollbookClient, text: string, signal: AbortSignal): Promise<Review> {
  const found = (await client.reviews.list({ signal })).filter(
    ({ review_id, name }) => review_id === text.toLowerCase() || folded(name) === folded(text.trim()),
  )
  const review = found.find(({ review_id }) => review_id === text.toLowerCase()) ?? found[0]
  if (review === undefined) throw notFound('review', text, 'reviews list')
  if (found.length > 1 && review.review_id !== text.toLowerCase()) {
    throw new UsageError(`Several reviews are called ${text}: ${found.map(({ review_id }) => review_id).join(', ')}.`)
  }
  return review
}

const isFlat = (options: OutputOptions) => ['table', 'csv'].includes(formatOf(options))
const nameOf = (party: ReviewRow['granted_by']) => party && (party.name || party.id)

/** For tables and CSV, a person is a name, and the counts are words. */
function flatReview(review: Review, options: OutputOptions): object {
  if (!isFlat(options)) return review
  const { counts, created_by, closed_by } = review
  const words = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`)
  return { ...review, counts: words.join(', '), created_by: nameOf(created_by), closed_by: nameOf(closed_by) }
}

async function* flatRows(rows: AsyncIterable<ReviewRow>, options: OutputOptions): AsyncGenerator<object> {
  for await (const row of rows) {
    const { granted_by, decided_by } = row
    yield isFlat(options) ? { ...row, granted_by: nameOf(granted_by), decided_by: nameOf(decided_by) } : row
  }
}
