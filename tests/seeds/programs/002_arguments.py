import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--mode', default='train', help='train or test')
parser.add_argument('--batch_size', default=32)
parser.add_argument('--learning_rate', default=0.0001)
args = parser.parse_args()
