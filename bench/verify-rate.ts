/** How many argon2id hashes a second this machine verifies when it does nothing else. Argument: seconds. */
import { hash, verify } from '@node-rs/argon2'
import { cores } from './processes.ts'

const phc = await hash('a password of usual length', { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
const until = performance.now() + Number(process.argv[2] ?? 5) * 1000
const began = performance.now()
let verified = 0

async function verifyOneByOne(): Promise<void> {
  while (performance.now() < until) {
    await verify(phc, 'a password of usual length')
    verified++
  }
}

await Promise.all(Array.from({ length: cores }, verifyOneByOne))
console.log(verified / ((performance.now() - began) / 1000))
