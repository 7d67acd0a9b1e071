import type { Jobs } from '../../store/jobs/rounds.ts'

/** The rest falls due in the next round. */
const piecesLimit = 1000

export const jobs: Jobs = {
  deleting: [
    async ({ storage, request }) => {
      while ((await storage.change('reviews.remind', undefined, request)).result);
      for (let piece = 0; piece < piecesLimit; piece++) {
        if (!(await storage.change('reviews.fall_due', undefined, request)).result) return
      }
    },
  ],
}
