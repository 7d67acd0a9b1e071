/** Which part of its tests a process runs: `rules` in `npm test`, `rest` for the rest of a divided file; unset for whole files. */
export const partVariable = 'ROLLBOOK_TEST_PART'
