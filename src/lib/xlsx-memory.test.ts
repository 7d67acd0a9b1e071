// belongs to test:rest: it writes and reads a million rows, which takes half a minute.
import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openAsBlob, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { workbookRows } from './xlsx-reader.ts'
import { type Cell, mostRowsOfSheet, workbookWriter } from './xlsx-writer.ts'

const mebibyte = 1024 * 1024
const [rows, rowsAtOnce] = [1_050_000, 500]
const header = ['user_id', 'username', 'email', 'first_name', 'active', 'created_at']

function userAt(n: number): Cell[] {
  const id = `0190a1b2-c3d4-7e5f-8a9b-${n.toString(16).padStart(12, '0')}`
  return [id, `user.${n}`, `user.${n}@example.com`, `=Ada ${n % 977}`, n % 3 > 0, { clockMs: 1.7e12 + n * 1000 }]
}

it('needs no more memory for a million users than for a few, when it writes them and when it reads them', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-xlsx-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'users.xlsx')
  const file = openSync(path, 'w')
  const writer = workbookWriter({ header, sheetName: 'Users' })
  let mostHeap = 0
  const look = () => {
    const { heapUsed, external } = process.memoryUsage()
    mostHeap = Math.max(mostHeap, heapUsed + external)
  }
  for (let from = 0; from < rows; from += rowsAtOnce) {
    writeSync(file, writer.add(Array.from({ length: rowsAtOnce }, (_, n) => userAt(from + n))))
    if (from % 50_000 === 0) look()
  }
  writeSync(file, writer.end())
  closeSync(file)
  assert.ok(mostHeap < 200 * mebibyte, `writing took ${Math.round(mostHeap / mebibyte)} MiB`)

  mostHeap = 0
  let [count, last] = [0, 0]
  for await (const records of workbookRows(await openAsBlob(path), { mostCells: 100 })) {
    count += records.length
    last = records.at(-1)?.line ?? 0
    if (count % 500 === 0) look()
  }
  // The others are on the second sheet.
  assert.deepEqual([count, last], [mostRowsOfSheet, mostRowsOfSheet])
  assert.ok(mostHeap < 300 * mebibyte, `reading took ${Math.round(mostHeap / mebibyte)} MiB`)
})
