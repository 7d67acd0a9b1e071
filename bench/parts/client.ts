import assert from 'node:assert/strict'
import { join } from 'node:path'
import { root, run } from '../processes.ts'
import { alternately, atMost, medianOf, type Row } from '../report.ts'
import { withServer } from '../servers.ts'
import { readWholeList } from '../whole-list.ts'
import { million, type Part } from './settings.ts'

type Sample = { count: number; seconds: number; megabytes: number }

/** `for await` over all users, beside a reader that does nothing with the same list. */
export const client: Part = async ({ rounds, users = million }) => {
  const setup = { users }
  const samples = await alternately(rounds, {
    bytes: () => withServer('ours', setup, readWholeList),
    client: () =>
      withServer('ours', setup, async ({ port, prefix, headers }): Promise<Sample> => {
        const args = [`http://127.0.0.1:${port}${prefix}`, headers['X-API-Key'] as string]
        const sample = JSON.parse(await run([process.execPath, join(root, 'bench/client-heap.ts'), ...args]))
        assert.equal(sample.count, users)
        return sample
      }),
  })
  const count = users.toLocaleString('en')
  const rows: Row[] = [
    {
      work: `rollbook/client: growth of the heap over ${count} users`,
      unit: 'MB',
      ours: medianOf(samples.client, ({ megabytes }) => megabytes),
      target: atMost(20),
      judged: 'ours',
    },
    {
      work: '… users a second',
      unit: '/s',
      bare: medianOf(samples.bytes, ({ seconds }) => users / seconds),
      reference: 'bytes alone',
      ours: medianOf(samples.client, ({ seconds }) => users / seconds),
      judged: 'ratio',
    },
  ]
  return rows
}
