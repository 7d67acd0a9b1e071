import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { csvLine } from '../../../../src/lib/csv-formula.ts'
import { WorkbookFault } from '../../../../src/lib/xlsx-reader.ts'
import { workbookWriter } from '../../../../src/lib/xlsx-writer.ts'
import type { ImportedRow, ImportJob } from '../../../../src/sdk/client/index.ts'
import { guessMapping, type Mapping, type Member, memberAt } from './columns.ts'
import { FewerRows, feed, type PartPlace } from './feed.ts'
import { inputOf } from './rejected-input.ts'
import { rejectsFile } from './rejects-file.ts'
import { FileFault, glanceAt, hasColumns, sampleOf } from './shape.ts'
import { openSource, type SourceRow } from './source.ts'

const file = (content: string | Uint8Array<ArrayBuffer>, name = 'staff.csv') => new File([content], name)

async function open(chosen: File) {
  const glance = await glanceAt(chosen)
  const { shape } = glance
  const mapping = hasColumns(shape) ? guessMapping(sampleOf(glance, shape).header, { attributes: [], labels: {} }) : []
  return { shape, source: openSource(chosen, shape, mapping) }
}

async function rowsOf(chosen: File): Promise<SourceRow[]> {
  const rows: SourceRow[] = []
  for await (const some of (await open(chosen)).source.rows) rows.push(...some)
  return rows
}

describe('looking at a file', () => {
  const latin = new Uint8Array([...'Benutzername;Vorname\nada;J'].map((one) => one.charCodeAt(0)).concat(0xfc, 0x0a))
  const wide = new Uint8Array(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('login\tmail\na\tb\n', 'utf16le')]))
  const cases: [string, File, object][] = [
    ['CSV with semicolons', file('login;mail\na;b\n'), { format: 'csv', separator: ';', encoding: 'utf-8' }],
    ['the encoding of old spreadsheets', file(latin), { format: 'csv', encoding: 'windows-1252' }],
    ['the encoding of others', file(wide), { format: 'csv', encoding: 'utf-16le', separator: '\t' }],
    ['NDJSON', file('{"username":"ada"}\n', 'a.txt'), { format: 'ndjson' }],
    ['an array', file(' [\n{"username":"ada"}]', 'a.json'), { format: 'json' }],
    [
      'what is packed',
      file(new Uint8Array(gzipSync('login,mail\na,b\n')), 'a.csv.gz'),
      { format: 'csv', isPacked: true },
    ],
  ]
  for (const [what, chosen, expected] of cases) {
    it(`knows ${what}`, async () => {
      const { shape } = await glanceAt(chosen)
      assert.deepEqual({ ...shape, ...expected }, shape)
    })
  }

  it('reads Excel files, whatever their names say', async () => {
    const writer = workbookWriter({
      header: ['Benutzername', 'Notiz', 'Aktiv', 'Erstellt (Europe/Berlin)', 'Vorname', 'Passwort'],
      sheetName: 'Blatt',
    })
    const rows = [
      ['ada', '=1', true, { clockMs: Date.UTC(2026, 10, 29), isDay: true }, "'=1", '=2'],
      ['bob', null, false, null, null, null],
    ]
    const chosen = file(Buffer.concat([writer.add(rows), writer.end()]), 'staff.csv')
    assert.deepEqual((await glanceAt(chosen)).shape.format, 'xlsx')
    const { source } = await open(chosen)
    const found: SourceRow[] = []
    for await (const some of source.rows) found.push(...some)
    assert.deepEqual(found, [
      {
        // The server removes one apostrophe before a formula, but none of a password.
        sent: "ada,true,2026-11-28T23:00:00.000Z,''=1,=2",
        original: ['ada', "'=1", 'true', '2026-11-29', "''=1", '=2'],
        line: 2,
      },
      { sent: 'bob,false,,,', original: ['bob', '', 'false', '', '', ''], line: 3 },
    ])
    assert.equal(source.contentType, 'text/csv')
    assert.ok(source.position() > 0 && source.position() <= source.size)
  })

  it('reports files that hold no users', async () => {
    const code = (content: string | Uint8Array<ArrayBuffer>) =>
      glanceAt(file(content)).then(
        () => 'taken',
        (error: unknown) =>
          error instanceof FileFault || error instanceof WorkbookFault ? error.code : 'another error',
      )
    assert.deepEqual(
      await Promise.all([
        code(''),
        code(' \n'),
        code('age-encryption.org/v1\n-> scrypt'),
        code(new Uint8Array([0x50, 0x4b, 3, 4, 0, 0])),
        code(new Uint8Array([0x1f, 0x8b, 1, 2, 3, 4])),
      ]),
      ['empty', 'empty', 'encrypted', 'damaged', 'damaged'],
    )
  })
})

describe('the rows of a file', () => {
  it('are sent as members of users, and kept as the file has them', async () => {
    const rows = await rowsOf(file('\uFEFFLogin;Abteilung;Aktiv;Vorname\nada;Ops;ja;"Ada, A."\n\nbob;;nein;\n'))
    assert.deepEqual(rows, [
      { sent: 'ada,true,"Ada, A."', original: ['ada', 'Ops', 'ja', 'Ada, A.'], line: 2 },
      { sent: 'bob,false,', original: ['bob', '', 'nein', ''], line: 4 },
    ])
  })

  it('are the elements of an array and the lines of NDJSON', async () => {
    const expected = ['{"username":"ada"}', '{"username":"b[]{}\\""}']
    const sent = async (chosen: File) => (await rowsOf(chosen)).map((row) => row.sent)
    assert.deepEqual(await sent(file(`[${expected.join(' ,\n')}]`, 'a.json')), expected)
    const linesOf = async (chosen: File) => (await rowsOf(chosen)).map(({ line }) => line)
    const users = expected.map((one) => JSON.parse(one))
    assert.deepEqual(await linesOf(file(JSON.stringify(users, null, 2), 'a.json')), [2, 5])
    assert.deepEqual(await linesOf(file(`\n\n${expected.join('\n\n')}`, 'a.ndjson')), [3, 5])
    assert.deepEqual(await sent(file(`${expected.join('\r\n')}\n\n`, 'a.ndjson')), expected)
    await assert.rejects(sent(file('[{"username":', 'a.json')), FileFault)
  })

  it('are sent without the reasons if the file is one of rejected rows', async () => {
    const line = JSON.stringify({ row: 3, code: 'x', detail: 'y', input: { username: 'ada' } })
    assert.deepEqual(
      (await rowsOf(file(`${line}\n`, 'a.ndjson'))).map(({ sent }) => sent),
      ['{"username":"ada"}'],
    )
  })

  it('are not read in a wrong encoding', async () => {
    const chosen = file(new Uint8Array([...Buffer.from('login\nada\n'), 0xfc, 0x0a]))
    const glance = await glanceAt(chosen)
    const { rows } = openSource(chosen, { ...glance.shape, encoding: 'utf-8' }, ['username'])
    await assert.rejects(async () => {
      for await (const _ of rows);
    }, FileFault)
  })
})

/** A service that requires order, rejects names with an exclamation mark, and refuses bodies that are too large. */
function service(largest = Number.POSITIVE_INFINITY) {
  const taken: string[] = []
  const rejected: ImportedRow[] = []
  let isComplete = false
  const job = () =>
    ({ rows_done: taken.length, rejected: rejected.length, state: isComplete ? 'done' : 'running' }) as ImportJob
  return {
    taken,
    job,
    get isComplete() {
      return isComplete
    },
    async send(body: string, { from_row, complete }: { from_row: number; complete: boolean }) {
      if (body.length > largest) throw Object.assign(new Error('too large'), { status: 413 })
      assert.equal(from_row, taken.length, 'parts come in order, without a gap')
      for (const line of body.split('\n').slice(1)) {
        if (line === '') continue
        taken.push(line)
        if (line.includes('!'))
          rejected.push({
            row: taken.length,
            line: null,
            verdict: 'rejected',
            user_id: null,
            code: 'no',
            detail: 'No.',
          })
      }
      isComplete = complete
      return job()
    },
    async *rejectedAfter(row: number) {
      yield* rejected.filter((one) => one.row > row)
    },
  }
}

describe('sending a file', () => {
  const names = fc.array(fc.stringMatching(/^[a-z"; ]{1,12}!?$/), { maxLength: 60 })
  const csv = (rows: readonly string[]) =>
    file(`login;team\n${rows.map((name) => `${csvLine([name, 'x'], ';')}\n`).join('')}`)
  const parts = (server: ReturnType<typeof service>, rejects = rejectsFile(['login', 'team'], ',')) => ({
    rejects,
    how: {
      send: server.send,
      rejectedAfter: server.rejectedAfter,
      onProgress: () => undefined,
      onRejects: rejects.add,
      signal: new AbortController().signal,
    },
  })
  const cells = async (rejects: ReturnType<typeof rejectsFile>) => (await rejects.toBlob().text()).split('\r\n')

  it('imports every row once, whatever size a proxy accepts, and returns the rejected ones with their reasons', async () => {
    await fc.assert(
      fc.asyncProperty(names, fc.integer({ min: 30, max: 200 }), async (rows, largest) => {
        const server = service(largest)
        const { rejects, how } = parts(server)
        await feed((await open(csv(rows))).source, { rows_done: 0, rejected: 0 }, how)
        assert.deepEqual(
          server.taken,
          rows.map((name) => csvLine([name.trim()])),
        )
        assert.ok(server.isComplete)
        assert.equal(rejects.count, rows.filter((name) => name.includes('!')).length)
      }),
      { numRuns: 60 },
    )
  })

  it('continues after the rows that are done, and reports earlier rejected rows', async () => {
    const server = service()
    await server.send('username\nada\nbad!\n', { from_row: 0, complete: false })
    const { rejects, how } = parts(server)
    const { source } = await open(csv(['ada', 'bad!', 'carl', 'worse!']))
    await feed(source, server.job(), how)
    assert.deepEqual(server.taken, ['ada', 'bad!', 'carl', 'worse!'])
    assert.deepEqual(await cells(rejects), [
      'login,team,rejected_row,rejected_line,rejected_code,rejected_detail',
      'bad!,x,2,3,no,No.',
      'worse!,x,4,5,no,No.',
      '',
    ])
  })

  it('keeps the line numbers of the file in every part, or says that they differ', async () => {
    const sentOf = async (chosen: File, largest?: number) => {
      const server = service(largest)
      const { how } = parts(server)
      const found: [number | undefined, string][] = []
      const send = async (body: string, place: PartPlace) => {
        const job = await server.send(body, place)
        const first = 'from_line' in place ? place.from_line + 1 : undefined
        // The header of a part is not a line of the file.
        const lines = body.split('\n').slice(1)
        for (const [n, line] of lines.entries()) if (line !== '') found.push([first && first + n, line])
        return job
      }
      await feed((await open(chosen)).source, { rows_done: 0, rejected: 0 }, { ...how, send })
      return found
    }
    const names = ['ada;x', '', 'bob;x', '', '', '"carl\n";x', 'dora;x', 'emil;x']
    const csv = file(`login;team\n${names.join('\n')}\n`)
    const expected = [
      [2, 'ada'],
      [4, 'bob'],
      [7, 'carl'],
      [9, 'dora'],
      [10, 'emil'],
    ]
    for (const largest of [20, 24, 1000]) {
      const found = await sentOf(csv, largest)
      assert.deepEqual(
        found.map(([line, name]) => [line, name.split(',')[0]]),
        expected.map(([line, name]) => [line, name]),
      )
    }
  })

  it('ends an import whose rows are all done', async () => {
    const server = service()
    await server.send('username\nada\n', { from_row: 0, complete: false })
    await feed((await open(csv(['ada']))).source, server.job(), parts(server).how)
    assert.ok(server.isComplete)
  })

  it('does not continue with a file that has fewer rows than are done', async () => {
    const server = service()
    await server.send('username\nada\nbob\ncarl\n', { from_row: 0, complete: false })
    const { source } = await open(csv(['ada']))
    await assert.rejects(feed(source, server.job(), parts(server).how), FewerRows)
  })

  it('stops between two parts', async () => {
    const server = service(60)
    const stop = new AbortController()
    const { source } = await open(csv(Array.from({ length: 50 }, (_, n) => `user${n}`)))
    const { how } = parts(server)
    const onProgress = () => stop.abort()
    await assert.rejects(feed(source, { rows_done: 0, rejected: 0 }, { ...how, onProgress, signal: stop.signal }))
    assert.ok(server.taken.length > 0 && server.taken.length < 50)
  })
})

describe('what is shown of a rejected row', () => {
  const previewOf = (original: string[] | string, member: Member | undefined, mapping: Mapping = []) => {
    const rejects = rejectsFile(mapping.length === 0 ? undefined : ['a', 'b', 'c', 'd'], ',')
    rejects.add([{ reject: { row: 7, code: 'x', pointer: null, detail: 'X' }, original, line: 8 }])
    return inputOf({ rejects, mapping }, 7, member)
  }
  const mapping: Mapping = ['username', 'password', null, 'email']

  it('is the wrong value and what identifies the user, never a secret', () => {
    const cells = ['ada', 'hunter2', 'hunter3', 'ada@']
    assert.deepEqual(previewOf(cells, 'email', mapping), { fault: 'ada@', others: 'ada' })
    assert.deepEqual(previewOf(cells, 'password', mapping), { fault: undefined, others: 'ada · ada@' })
    assert.deepEqual(previewOf(['ada', 'x', 'y', 'hunter2', 'z'], undefined, mapping), { fault: undefined, others: '' })
    assert.deepEqual(previewOf(['ada'], undefined, ['username', 'email']), { fault: undefined, others: 'ada' })
    const line = '{"username":"ada","password_hash":"hunter2","pwd":"hunter3","active":1}'
    assert.deepEqual(previewOf(line, 'active'), { fault: '1', others: 'ada' })
    assert.deepEqual(previewOf(line, 'password_hash'), { fault: undefined, others: 'ada · 1' })
    assert.deepEqual(previewOf(`{"row":1,"code":"x","input":${line}}`, 'username'), { fault: 'ada', others: '1' })
    assert.deepEqual(previewOf('{"username":"ada","pwd":"hunter2"', undefined), { fault: undefined, others: '' })
    const withSize = '{"username":"ada","attributes":{"size":9}}'
    assert.deepEqual(previewOf(withSize, memberAt('#/attributes/size')), { fault: '9', others: 'ada' })
  })
})

describe('the file of rejected rows', () => {
  it('replaces earlier reasons when it is imported and rejected again', async () => {
    const columns = ['login', 'rejected_row', 'rejected_code', 'rejected_detail']
    const rejects = rejectsFile(columns, ';')
    rejects.add([
      { reject: { row: 1, code: 'b', pointer: null, detail: 'New' }, original: ['ada', '7', 'a', 'Old'], line: 2 },
    ])
    assert.equal(
      await rejects.toBlob().text(),
      'login;rejected_row;rejected_line;rejected_code;rejected_detail\r\nada;1;2;b;New\r\n',
    )
    assert.equal(rejects.name('staff.rejects.csv'), 'staff.rejects.csv')
    assert.equal(rejectsFile(undefined, ',').name('staff.json.gz'), 'staff.rejects.ndjson')
  })
})
