import { splitJournalContract } from '../contract/split-journal.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(splitJournalContract);
