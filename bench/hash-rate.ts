/** How many argon2id hashes a second this machine makes when it does nothing else. Argument: seconds. */
import { hash } from '@node-rs/argon2'
import { cores } from './processes.ts'

const until = performance.now() + Number(process.argv[2] ?? 5) * 1000
const began = performance.now()
let hashes = 0

async function hashOneByOne(): Promise<void> {
  while (performance.now() < until) {
    await hash(`a password of usual length ${hashes}`)
    hashes++
  }
}

await Promise.all(Array.from({ length: cores }, hashOneByOne))
console.log(hashes / ((performance.now() - began) / 1000))
