/** How fast a Node process reads all documents from PostgreSQL when it does nothing else. DATABASE is the URL. */
import pg from 'pg'

/** Counts what COPY sends and looks at nothing of it. */
class Copy extends pg.Query {
  bytes = 0

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.bytes += chunk.length
  }
}

const client = new pg.Client({ connectionString: process.env.DATABASE ?? '', options: '-c search_path=rollbook' })
await client.connect()
const began = performance.now()
const bytes = await new Promise<number>((resolve, reject) => {
  const copy = new Copy('COPY (SELECT document FROM users ORDER BY user_id) TO STDOUT', (error) =>
    error ? reject(error) : resolve(copy.bytes),
  )
  client.query(copy)
})
console.log(bytes / 1e6 / ((performance.now() - began) / 1000))
await client.end()
