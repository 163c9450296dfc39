import { neighborsContract } from '../contract/neighbors.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(neighborsContract);
