import { counter, type Family, gauge } from '../../core/metric-family.ts'
import type { Hasher } from './hash.ts'

export function passwordFamilies(hasher: Pick<Hasher, 'load'>): Family[] {
  return [
    gauge('rollbook_hash_running', 'Passwords being hashed or verified now.', () => hasher.load().running),
    gauge('rollbook_hash_waiting', 'Passwords waiting to be hashed or verified.', () => hasher.load().waiting),
    gauge('rollbook_hash_waiting_limit', 'Limit of waiting passwords.', () => hasher.load().limit),
    counter(
      'rollbook_hash_refused_total',
      'Passwords refused because the queue was full.',
      () => hasher.load().refused,
    ),
    counter('rollbook_hashes_total', 'Passwords hashed or verified.', () => hasher.load().done),
    counter(
      'rollbook_hash_seconds_total',
      'Time spent on hashing and verifying, without waiting.',
      () => hasher.load().seconds,
    ),
  ]
}
