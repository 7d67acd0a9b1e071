import type { Jobs } from '../../store/jobs/rounds.ts'
import { hasOldSetupLinks } from './setup-links.ts'

export const jobs: Jobs = {
  deleting: [
    async ({ storage, request }) => {
      while (await hasOldSetupLinks(storage.db, request.now)) {
        if (!(await storage.change('setup_links.prune', undefined, request)).result) return
      }
    },
  ],
}
