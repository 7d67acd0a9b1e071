import type { Jobs } from '../../store/jobs/rounds.ts'
import { removeEnded } from './ends.ts'

export const jobs: Jobs = {
  ticking: [({ storage, request }) => removeEnded(storage, request)],
}
